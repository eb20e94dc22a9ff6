/** Small XML documents as trees. A document type is refused, so that no entity is ever expanded. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SaxesParser } from 'saxes';
import { errorText } from '../../../../core/start-error';
import { PackageError } from '../package/fault';
import type { PackageFiles } from '../package/package-files';
import { encodingOf } from '../package/records';

/** The bounds of a document. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 64;

/** An element; names are without prefixes. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  /** Its own text, without that of its children. */
  text: string;
}

/** Reads a document. @returns its root element @throws PackageError when it is missing, too large or not well-formed */
export async function readXml(files: PackageFiles, path: string): Promise<XmlElement> {
  if ((await files.size(path)) > MAX_BYTES)
    throw new PackageError(`${path} is larger than ${MAX_BYTES} bytes.`);
  const bytes = await readAll(await files.read(path), path);
  const text = new TextDecoder(encodingIn(bytes, path)).decode(bytes);
  try {
    return parseXml(withBlanks(text));
  } catch (error) {
    throw new PackageError(`${path} is no XML that can be read (${errorText(error)}).`);
  }
}

async function readAll(stream: Readable, path: string): Promise<Buffer> {
  try {
    return await buffer(stream);
  } catch (error) {
    throw new PackageError(`${path} is damaged (${errorText(error)}).`);
  }
}

/** The encoding of the byte order mark, else of the XML declaration, else UTF-8. */
function encodingIn(bytes: Buffer, path: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const start = bytes.toString('latin1', 0, 200);
  const label = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  return label === undefined ? 'utf-8' : encodingOf(label, path);
}

/** Comments, sections of characters, and tags with their attributes. */
const TAGS =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^<>"']*(?:"[^"<]*"[^<>"']*|'[^'<]*'[^<>"']*)*>/g;

const REFERENCES: Readonly<Record<string, string>> = { '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' };

/**
 * Descriptors have ends of lines and tabs themselves in attributes, which XML reads as blanks, unless they are written
 * as references to characters.
 */
const withBlanks = (text: string): string =>
  text.replace(TAGS, (tag) =>
    tag.startsWith('<!')
      ? tag
      : tag.replace(/"[^"]*"|'[^']*'/g, (value) =>
          value.replace(/[\n\r\t]/g, (blank) => REFERENCES[blank] ?? blank),
        ),
  );

/** @throws Error for what is not well-formed, has a document type, or is too large */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [root];
  let count = 0;
  const parser = new SaxesParser();
  parser.on('doctype', () => {
    throw new Error('it has a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if ((count += 1) > MAX_ELEMENTS) throw new Error(`it has more than ${MAX_ELEMENTS} elements`);
    if (open.length > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} deep`);
    const named = Object.entries(attributes).map(([key, value]) => [local(key), value] as const);
    const element = { name: local(name), attributes: new Map(named), children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  const add = (part: string): void => {
    const element = open.at(-1);
    if (element) element.text += part;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  const [top] = root.children;
  if (!top) throw new Error('it has no element');
  return top;
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The children with this name. */
export const childrenOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => child.name === name);
