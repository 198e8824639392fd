// The glossary of metrics: a field that hides what does not have the words in it.

export const start = ([glossary]) => {
  const box = glossary.parentElement.querySelector(".nb-search");
  const [field, status] = [box.querySelector("input"), box.querySelector("[role=status]")];
  const entries = [...glossary.querySelectorAll(".nb-metric")].map((entry) => ({
    entry,
    listed: glossary.querySelector(`a[href="#${CSS.escape(entry.id)}"]`)?.closest("li"),
    text: entry.textContent.toLowerCase(),
  }));
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { entry, listed, text } of entries) {
      const has = words.every((word) => text.includes(word));
      entry.hidden = !has;
      if (listed) listed.hidden = !has;
      found += has;
    }
    status.textContent = words.length ? `${found} of ${entries.length}` : "";
  });
  box.hidden = false;
};
