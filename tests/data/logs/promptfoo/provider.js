// A mock model: it answers by the item, and fails once.
const answers = {
  alpha: { tea: 'It is green.', two: '2', sky: 'The Sun' },
  beta: { tea: 'It is brown.', two: '2', sky: 'The Moon' },
};
module.exports = class {
  constructor(options) { this.name = options.config.name; }
  id() { return `mock:${this.name}`; }
  async callApi(prompt, context) {
    const item = context.vars.item;
    if (this.name === 'beta' && item === 'sky') return { error: 'the mock model fails here' };
    return { output: answers[this.name][item], tokenUsage: { total: 9, prompt: 6, completion: 3 } };
  }
};
