/** UUIDs that tests can know beforehand: the same number is the same ID. */
export const uuid = (number: number): string =>
  `0a0a0a0a-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** IDs of one part of a test file, whose parts share a database: no other part has them. */
export const idsOf =
  (part: number) =>
  (number: number): string =>
    `0a0a0a0a-${part.toString(16).padStart(4, '0')}-4000-8000-${number.toString(16).padStart(12, '0')}`;
