// The site's data files, each fetched once.

const files = new Map();

// A loader of the JSON files below `root`, an address relative to the page.
export const loader = (root) => (path) => {
  const address = new URL(path, new URL(root, document.baseURI)).href;
  if (!files.has(address)) {
    files.set(address, fetch(address).then((reply) => {
      if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
      return reply.json();
    }).catch((error) => { files.delete(address); throw error; }));
  }
  return files.get(address);
};
