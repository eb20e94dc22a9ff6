/** The totals of lists that are not counted to their end, as the panel's texts know them (`src/admin/translations`). */
export const TOTALS = {
  /** More than 10,000 are found. */
  more: 10_001,
  /** Only the first 10,000 were looked at for what no index finds. */
  partly: 10_002,
} as const;
