import { issue } from '../../core/errors';
import { sql } from '../../plugins/objects/server/database/sql';
import { keepFiles } from '../../plugins/assets/server/ledger';
import { usedElsewhere } from '../../plugins/assets/server/uses';
import { defineResource } from '../../plugins/objects/server/define/declaration';
import { creator } from '../../plugins/objects/server/define/rules';
import { filePathSql } from '../../plugins/objects/server/kinds/path';
import { renditionPathsSql } from '../../plugins/objects/server/kinds/renditions';
import {
  claimed,
  collaborates,
  either,
  is,
  through,
} from '../../plugins/objects/server/rights/relations';
import { NOBODY } from '../../plugins/objects/server/rights/row';
import { contentKey } from './domain/content-key';
import { LICENSE } from './license';

/** Where, when and with what a photograph was taken is visible to its owner and moderators only, whatever the views. */
const OWN = ['own'];

/** The callers to whom an encounter with the photograph is not shown as it is stored. */
const TOLD = { guarded: 'shown' } as const;
const UNTOLD = { guarded: 'hidden' } as const;

/** A photograph: its original, which its owner gets back, and renditions of it for everybody else. */
export default defineResource({
  uid: 'api::asset.asset',
  path: 'asset',
  description: 'A photograph: its original, and renditions of it without any metadata.',
  displayName: 'filename',
  picture: 'renditions',
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
    names: ['guarded'],
    others: (row) =>
      sql`case when ${row.isGeneralized('encounter.assets')} then 'guarded' else 'exact' end`,
  },
  made: 'upload',
  fields: {
    owner: {
      views: TOLD,
      fill: creator,
      written: [],
      description: 'Who sent it; null if that was anonymous.',
    },
    filename: {
      words: true,
      views: TOLD,
      seen: OWN,
      term: 'title',
      description: 'What its sender calls it.',
    },
    path: {
      views: TOLD,
      kind: 'text',
      derived: true,
      term: 'identifier',
      computed: (id) => filePathSql('asset', id),
      description:
        'Where its bytes are, and what stands for it elsewhere (`photo_id`): the original for its owner and moderators, the `large` rendition for everybody else.',
    },
    renditions: {
      views: TOLD,
      kind: 'renditions',
      derived: true,
      computed: (id) => renditionPathsSql('asset', id),
      description: 'Its smaller forms: WebP, upright, without any metadata.',
    },
    mime_type: {
      views: TOLD,
      derived: true,
      given: true,
      description: 'Of the original, by its content.',
    },
    size: { views: TOLD, derived: true, given: true, description: 'Bytes of the original.' },
    width: {
      views: TOLD,
      derived: true,
      given: true,
      description: 'Pixels of the original, upright.',
    },
    height: {
      views: TOLD,
      derived: true,
      given: true,
      description: 'Pixels of the original, upright.',
    },
    sha256: {
      views: TOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'The SHA-256 of the original, in hexadecimal digits.',
    },
    taken_at: {
      views: TOLD,
      kind: 'time',
      derived: true,
      given: true,
      seen: OWN,
      term: 'created',
      description: 'When it was taken, as the camera says (EXIF).',
    },
    latitude: {
      views: TOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'Degrees, WGS 84, as the camera says (EXIF).',
    },
    longitude: {
      views: TOLD,
      derived: true,
      given: true,
      seen: OWN,
      description: 'Degrees, WGS 84, as the camera says (EXIF).',
    },
    camera: {
      views: TOLD,
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
      ...LICENSE,
      description: 'The license under which it may be used.',
    },
    rights_holder: {
      words: true,
      views: TOLD,
      term: 'rightsHolder',
      description: 'The holder of the rights, if that is not the owner.',
    },
    file_key: {
      views: TOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'The name that its files have in common.',
    },
    thumbnail_size: {
      views: TOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'Bytes of it.',
    },
    small_size: {
      views: TOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'Bytes of it.',
    },
    large_size: {
      views: TOLD,
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'Bytes of it.',
    },
  },
  unique: [{ attribute: 'contentKey', fields: ['sha256'], dependsOn: ['owner'], key: contentKey }],
  rules: [
    {
      fields: ['sha256'],
      *check(after) {
        return (after['sha256'] ?? null) === null ? [issue('file', 'REQUIRED', {})] : [];
      },
    },
  ],
  consequences: [keepFiles],
});
