// An item as it was put to contestants and judges.

import { element, link, text } from "../dom.js";

export const place = (item) => element("p", `${item.category}, ${item.difficulty}`, "nb-quiet");

// Where a text can be read that is not here. The address is checked with the specs: it begins with http:// or https://.
export const source = (address) => element("p", ["Source: ", Object.assign(link(address, address), { rel: "noopener" })]);

// more: what stands under the prompt of an item whose texts are published. address: of the source of an imported board.
export const promptItem = (item, more = () => [], address = undefined) => {
  const hash = item.hash ? [element("p", item.hash, "nb-quiet nb-digest")] : [];
  if (item.visibility === "elsewhere") {
    return [
      element("h2", "Item"), place(item),
      element("p", "Its prompt is not in this repository. This is the hash of its text:"), ...hash,
      ...(address ? [source(address)] : []),
    ];
  }
  if (item.visibility === "private") {
    return [
      element("h2", "Private item"), place(item),
      element("p", "Its texts are not published, so that no model can be tuned to them. This hash proves later that they were not changed."),
      ...hash,
    ];
  }
  const asked = item.turns
    ? item.turns.flatMap((turn, number) => [element("h3", `Turn ${number + 1}`), text(turn, "")])
    : [text(item.prompt ?? "", "")];
  return [element("h2", item.turns ? "Conversation" : "Prompt"), ...asked, place(item), ...more(), ...hash];
};

