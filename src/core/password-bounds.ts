/** Characters of a password (contract, section 5); `schema.json` of the user says the same. */
export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 128;
