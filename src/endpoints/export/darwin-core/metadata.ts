/** What an archive says of itself, `eml.xml` (https://eml.ecoinformatics.org/schema, in the profile of GBIF). */
import { v5 as uuidV5 } from 'uuid';
import type { Body } from '../../../plugins/objects/server/declare/objects';
import { element, escapeXml } from '../archive/xml';
import { anyText, nameOf } from '../source';
import type { ExportSource } from '../source';

/** The licenses of the records of an archive. */
export interface Rights {
  /** The addresses of those that were met, in the order of what they permit, the least at the end. */
  readonly licenses: readonly string[];
  /** Whether each record has one. */
  readonly isWhole: boolean;
}

const SCHEMA = 'https://eml.ecoinformatics.org/eml-2.2.0';
const PROFILE = 'https://rs.gbif.org/schema/eml-gbif-profile/1.3/eml.xsd';

export function metadataOf(source: Omit<ExportSource, 'pages'>, rights: Rights): string {
  const { site, publicSite, publicUrl, now } = source;
  const name = nameOf(source);
  const abstract = anyText(publicSite['description'], site) ?? `Records of ${name}.`;
  const email = textOf(publicSite, 'contact_email');
  const party = [
    element('organizationName', name),
    ...(email === null ? [] : [element('electronicMailAddress', email)]),
    element('onlineUrl', publicUrl),
  ].join('');
  const paragraphs = abstract
    .split(/\n+/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => element('para', text));
  return `<?xml version="1.0" encoding="UTF-8"?>
<eml:eml xmlns:eml="${SCHEMA}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${SCHEMA} ${PROFILE}" packageId="${uuidV5(publicUrl, uuidV5.URL)}" system="http://gbif.org" scope="system" xml:lang="en">
  <dataset>
    ${element('title', `Encounters of ${name}`)}
    <creator>${party}</creator>
    <metadataProvider>${party}</metadataProvider>
    ${element('pubDate', now.toISOString().slice(0, 10))}
    ${element('language', site.defaultLanguage)}
    <abstract>${paragraphs.join('')}</abstract>
    <intellectualRights><para>${rightsText(rights, textOf(publicSite, 'terms_url'))}</para></intellectualRights>
    <contact>${party}</contact>
  </dataset>
</eml:eml>
`;
}

function textOf(site: Body, name: string): string | null {
  const value = site[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The least that all records permit; where one has no license, that each says it itself. */
function rightsText({ licenses, isWhole }: Rights, terms: string | null): string {
  const least = licenses.at(-1);
  if (isWhole && least !== undefined)
    return `This work is licensed under <ulink url="${escapeXml(least)}">${element('citetitle', least)}</ulink>.`;
  const further = terms === null ? '' : ` See ${terms}.`;
  return escapeXml(
    `The license of each record is stated with it; a record without one may be used with permission only.${further}`,
  );
}
