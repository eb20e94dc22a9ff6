import { SaxesParser } from 'saxes';
import { fromBuffer, type Entry, type Options, type ZipFile } from 'yauzl';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** The files of a zip, as texts by their names. */
export async function unzipped(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const zip = await promisify<Buffer, Options, ZipFile>(fromBuffer)(bytes, { lazyEntries: true });
  const files = new Map<string, string>();
  zip.on('entry', (entry: Entry) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error) return void zip.emit('error', error);
      void buffer(stream).then((content) => {
        files.set(entry.fileName, content.toString('utf8'));
        zip.readEntry();
      });
    });
  });
  zip.readEntry();
  await once(zip, 'end');
  return files;
}

/** The cells of each line (RFC 4180). */
export const cellsOf = (csv: string): string[][] =>
  [...csv.matchAll(/((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*)\r?\n/g)].map(
    ([, line = '']) =>
      [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^",]*),/g)].map(([, cell = '']) =>
        cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      ),
  );

/** The rows of a table with a header, by the names of their columns. */
export function rowsOf(csv: string): Record<string, string>[] {
  const [head = [], ...rows] = cellsOf(csv);
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}

/** An element of an XML document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** The root of a document. @throws where it is not well-formed */
export function parseXml(text: string): Element {
  const parser = new SaxesParser({ xmlns: true });
  const stack: Element[] = [{ name: '', attributes: {}, children: [], text: '' }];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, attributes }) => {
    const element: Element = {
      name: local,
      attributes: Object.fromEntries(
        Object.entries(attributes).map(([name, { value }]) => [name, value]),
      ),
      children: [],
      text: '',
    };
    stack.at(-1)?.children.push(element);
    stack.push(element);
  });
  parser.on('text', (more) => {
    const current = stack.at(-1);
    if (current) current.text += more;
  });
  parser.on('closetag', () => void stack.pop());
  parser.write(text).close();
  const [root] = stack[0]?.children ?? [];
  if (!root) throw new Error('there is no element');
  return root;
}

/** All elements with this name below one. */
export const within = (element: Element, name: string): Element[] =>
  element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...within(child, name),
  ]);
