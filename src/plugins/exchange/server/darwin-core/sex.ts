/** How many animals have which sex, as collections write it: `1 male | 0 female`, `{"female":1}`. */
const COUNTED = /(\d+)\s*([\p{L}♂♀]+)|["']?([\p{L}♂♀]+)["']?\s*[:=]\s*(\d+)/gu;

/** The sex that all counted animals have; the text itself where it has no counts, or several sexes. */
export function sexOfCounts(text: string): string {
  if (!/\d/.test(text)) return text;
  const counted = [...text.matchAll(COUNTED)].map(
    ([, before, word, name, after]) => [word ?? name ?? '', Number(before ?? after)] as const,
  );
  const [one, ...others] = counted.filter(([, count]) => count > 0);
  return one && others.length === 0 ? one[0] : text;
}
