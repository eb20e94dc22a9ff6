/** The form in which names and addresses are compared: without regard to case, and to how a character is put together. */
export const fold = (text: string): string =>
  // Normalized once more, because a letter in lower case may be one that has a shorter form.
  text.normalize('NFKC').toLowerCase().normalize('NFKC').trim();

/** Whether two spellings are one. */
export const isSame = (one: unknown, other: unknown): boolean =>
  fold(String(one)) === fold(String(other));
