/** The tables of a Darwin Core archive (https://dwc.tdwg.org/text/). */
import { escapeXml } from '../archive/xml';
import { BETWEEN } from '../csv';
import { termAddress } from './term';

/** A column of a table of `R`. */
export interface TermColumn<R> {
  readonly term: string;
  readonly value: (row: R) => unknown;
  /** Whether its values are lists. */
  readonly isList?: boolean;
}

export interface Table<R> {
  readonly file: string;
  /** The address of the class of its rows. */
  readonly rowType: string;
  /** The first is the ID of the core's row. */
  readonly columns: readonly TermColumn<R>[];
  /** Whether the first column is a term of the rows themselves, and not only refers to those of the core. */
  readonly isCore: boolean;
  /** Terms that are the same for all rows. */
  readonly constants: Readonly<Record<string, string>>;
}

/** A table as the descriptor has it. */
export function describe<R>({ file, rowType, columns, isCore, constants }: Table<R>): string {
  const name = isCore ? 'core' : 'extension';
  const fields = columns.map(({ term, isList = false }, at) => {
    const delimiter = isList ? ` delimitedBy="${escapeXml(BETWEEN)}"` : '';
    const address = escapeXml(termAddress(term));
    return at === 0 && !isCore ? '' : `<field index="${at}" term="${address}"${delimiter}/>`;
  });
  const same = Object.entries(constants).map(
    ([term, value]) =>
      `<field default="${escapeXml(value)}" term="${escapeXml(termAddress(term))}"/>`,
  );
  const lines = [
    `<files><location>${escapeXml(file)}</location></files>`,
    `<${isCore ? 'id' : 'coreid'} index="0"/>`,
    ...[...fields, ...same].filter((line) => line !== ''),
  ];
  return `  <${name} encoding="UTF-8" fieldsTerminatedBy="," linesTerminatedBy="\\n" fieldsEnclosedBy="&quot;" ignoreHeaderLines="1" rowType="${escapeXml(rowType)}">
    ${lines.join('\n    ')}
  </${name}>`;
}

/** The descriptor of an archive, `meta.xml`. */
export const descriptorOf = (
  tables: readonly string[],
): string => `<?xml version="1.0" encoding="UTF-8"?>
<archive xmlns="http://rs.tdwg.org/dwc/text/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://rs.tdwg.org/dwc/text/ http://rs.tdwg.org/dwc/text/tdwg_dwc_text.xsd" metadata="eml.xml">
${tables.join('\n')}
</archive>
`;
