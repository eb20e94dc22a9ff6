import { issue } from '../../core/errors';
import { literal, raw, sql } from '../../plugins/objects/server/database/sql';
import { keepFiles } from '../../plugins/assets/server/ledger';
import { usedElsewhere } from '../../plugins/assets/server/uses';
import { defineResource } from '../../plugins/objects/server/declare/declaration';
import { creator } from '../../plugins/objects/server/validate/rules';
import { filePathSql } from '../../plugins/objects/server/kinds/path';
import { renditionPathsSql } from '../../plugins/objects/server/kinds/renditions';
import {
  claimed,
  collaborates,
  either,
  is,
  through,
} from '../../plugins/objects/server/declare/relations';
import { isPrivileged, NOBODY } from '../../plugins/objects/server/declare/row';
import { contentKey } from './domain/content-key';
import { claimField } from '../encounter/claim';
import { LEVELS } from '../encounter/privacy';
import { hidingEncounters, levelOfAsset, OPEN, WITHHELD, withheldFor } from './level';
import { LICENSE } from './license';
import { keepDeleted, photographsOfAssets } from './photographs';

/** Where, when and with what a photograph was taken is visible to its owner and moderators only, whatever the views. */
const OWN = ['own'];

/**
 * What a photograph is to others than its owner, whose bytes are at an encounter that is not open: to those who see one with
 * it exactly (`inside`), and to strangers.
 */
const TOLD = { inside: 'shown', obscured: 'shown', private: 'shown' } as const;
const UNTOLD = { inside: 'hidden', obscured: 'hidden', private: 'hidden' } as const;
const OWNERS = { inside: 'shown', obscured: 'shown if owners', private: 'hidden' } as const;

/** A photograph: its original, which its owner gets back, and renditions of it for everybody else. */
export default defineResource({
  uid: 'api::asset.asset',
  path: 'asset',
  description: 'A photograph: its original, and renditions of it without any metadata.',
  displayName: 'filename',
  picture: 'renditions',
  summary: ['alt_text', 'license', 'rights_holder'],
  relations: {
    own: is('owner'),
    editor: collaborates('owner', 'edit'),
    claimant: claimed(),
    referrer: through('encounter.assets', 'read'),
    pictured: through('individual.photo_id', 'read'),
    face: through('user.photo_id', 'read'),
    logo: either(through('site_settings.logo_id', 'read'), through('org.logo_id', 'read')),
    site: usedElsewhere,
  },
  rights: {
    create: { anonymous: 'all if reports', user: 'all' },
    read: {
      anonymous: ['claimant', 'referrer', 'pictured', 'face', 'logo', 'site'],
      user: ['own', 'editor', 'claimant', 'referrer', 'pictured', 'face', 'logo', 'site'],
    },
    update: { anonymous: 'claimant', user: ['own', 'editor', 'claimant'] },
    delete: 'as update',
    original: { user: 'own' },
    history: { user: 'own' },
  },
  seen: { version: OWN, created_at: OWN, updated_at: OWN },
  // The text may name the place that the views of an encounter with this photograph hide.
  views: {
    exact: { anonymous: 'claimant', user: ['own', 'claimant'] },
    names: ['inside', ...LEVELS],
    others(row) {
      const level = levelOfAsset(row.alias, row.privacy);
      const inside = row.isInside('encounter.assets');
      return sql`case ${level} when ${literal(OPEN)} then 'exact'
        when 'obscured' then case when ${inside} then 'inside' else 'obscured' end
        else case when ${inside} then 'inside' else 'private' end end`;
    },
  },
  made: 'upload',
  fields: {
    owner: {
      views: OWNERS,
      links: 'person',
      fill: creator,
      written: [],
      description: 'Who sent it; null if that was anonymous.',
    },
    filename: {
      words: true,
      views: UNTOLD,
      seen: OWN,
      term: 'title',
      description: 'What its sender calls it.',
    },
    path: {
      views: TOLD,
      links: 'class',
      kind: 'text',
      derived: true,
      term: 'identifier',
      computed: (alias) => filePathSql('asset', raw(`${alias}.document_id`)),
      description:
        'Where its bytes are, and what stands for it elsewhere (`photo_id`): the original for its owner and moderators, the `large` rendition for everybody else.',
    },
    renditions: {
      views: TOLD,
      links: 'class',
      kind: 'renditions',
      derived: true,
      computed: (alias) => renditionPathsSql('asset', raw(`${alias}.document_id`)),
      description: 'Its smaller forms: WebP, upright, without any metadata.',
    },
    mime_type: {
      views: UNTOLD,
      seen: OWN,
      derived: true,
      given: true,
      description: 'Of the original, by its content.',
    },
    size: {
      views: UNTOLD,
      seen: OWN,
      derived: true,
      given: true,
      description: 'Bytes of the original.',
    },
    width: {
      views: TOLD,
      links: 'class',
      derived: true,
      given: true,
      description: 'Pixels of the original, upright.',
    },
    height: {
      views: TOLD,
      links: 'class',
      derived: true,
      given: true,
      description: 'Pixels of the original, upright.',
    },
    sha256: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'The SHA-256 of the original, in hexadecimal digits.',
    },
    taken_at: {
      views: UNTOLD,
      kind: 'time',
      derived: true,
      given: true,
      seen: OWN,
      term: 'created',
      description: 'When it was taken, as the camera says (EXIF).',
    },
    latitude: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'Degrees, WGS 84, as the camera says (EXIF).',
    },
    longitude: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'Degrees, WGS 84, as the camera says (EXIF).',
    },
    camera: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'Maker and model of the camera (EXIF).',
    },
    alt_text: {
      words: true,
      views: UNTOLD,
      kind: 'localized',
      term: 'description',
      maxLength: 1000,
      description: 'A text for those who cannot see the image: what it shows.',
    },
    license: {
      views: TOLD,
      links: 'class',
      ...LICENSE,
      description: 'The license under which it may be used.',
    },
    rights_holder: {
      words: true,
      views: OWNERS,
      links: 'person',
      term: 'rightsHolder',
      description: 'The holder of the rights, if that is not the owner.',
    },
    location_privacy: {
      views: UNTOLD,
      seen: OWN,
      description:
        'Whether strangers are told the photograph: `private`, nowhere but as a portrait or logo; null, at open encounters, unless an encounter with the same bytes is not open, or was not when it was deleted or lost them. `open`, which moderators alone write, forgets encounters that have had the bytes, until a later one.',
    },
    withheld: {
      views: UNTOLD,
      seen: OWN,
      kind: 'choice',
      choices: WITHHELD,
      derived: true,
      computed: withheldFor,
      description:
        'Whether strangers are not told it at open encounters, and why: `asset`, because of its own `location_privacy`; `encounter`, because its bytes are at an encounter that is not open, or were when that was deleted or lost them.',
    },
    withheld_by: {
      views: UNTOLD,
      seen: OWN,
      kind: 'references',
      to: 'encounter',
      derived: true,
      listed: { rows: hidingEncounters, isExact: true },
      description:
        'The encounters with its bytes that are not open, as far as the caller sees them as they are stored.',
    },
    level: {
      views: UNTOLD,
      seen: [],
      derived: true,
      computed: levelOfAsset,
      description:
        'The strictest level of an encounter with its bytes, and of those that have had them.',
    },
    claim: { views: UNTOLD, ...claimField },
    file_key: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'The name that its files have in common.',
    },
    thumbnail_size: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'Bytes of it.',
    },
    small_size: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'Bytes of it.',
    },
    large_size: {
      views: UNTOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'Bytes of it.',
    },
  },
  unique: [
    {
      attribute: 'contentKey',
      fields: ['sha256'],
      // A form has no input of that name.
      reportedAt: 'file',
      dependsOn: ['owner'],
      key: contentKey,
    },
  ],
  rules: [
    {
      fields: ['location_privacy'],
      *check(after, { before, caller }) {
        const isOpened =
          after['location_privacy'] === 'open' && before?.['location_privacy'] !== 'open';
        return isOpened && !isPrivileged(caller.role)
          ? [issue('location_privacy', 'NOT_PERMITTED', {})]
          : [];
      },
    },
    {
      fields: ['sha256'],
      *check(after) {
        return (after['sha256'] ?? null) === null ? [issue('file', 'REQUIRED', {})] : [];
      },
    },
  ],
  beforeDelete: [keepDeleted],
  consequences: [keepFiles],
  kept: [photographsOfAssets],
});
