type Asset = Readonly<Record<string, unknown>>;

/** Two uploads of the same bytes by the same owner are one asset. Uploads without an owner are never compared. */
export const contentKey = ({ owner, sha256 }: Asset): string | null =>
  typeof owner === 'string' && typeof sha256 === 'string' ? `${owner}:${sha256}` : null;
