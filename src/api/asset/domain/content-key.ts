type Asset = Readonly<Record<string, unknown>>;

/** The same bytes of the same owner are one asset; of what nobody owns, nothing is known of another's. */
export const contentKey = ({ owner, sha256 }: Asset): string | null =>
  typeof owner === 'string' && typeof sha256 === 'string' ? `${owner}:${sha256}` : null;
