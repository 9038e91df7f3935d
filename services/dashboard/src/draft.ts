/** What was typed for many links: it outlives a look at another screen. */
let draft = '';
export const keptDraft = () => draft;
export const keepDraft = (text: string) => {
  draft = text;
};
