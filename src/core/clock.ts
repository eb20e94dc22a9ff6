/** What time it is, in milliseconds since 1970: given to whatever depends on it, so that tests go through months. */
export type Clock = () => number;
