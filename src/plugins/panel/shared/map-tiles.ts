/** Where the maps of the panel get their tiles. */
export interface MapTiles {
  /** With `{z}`, `{x}` and `{y}` for zoom, column and row. */
  readonly url: string;
  /** Whom the map names: most tiles require it. */
  readonly attribution: string;
}
