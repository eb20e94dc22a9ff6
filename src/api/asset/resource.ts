import { issue } from '../../core/errors';
import { keepFiles } from '../../plugins/assets/server/ledger';
import { usedElsewhere } from '../../plugins/assets/server/uses';
import { defineResource } from '../../plugins/objects/server/define/declaration';
import { creator } from '../../plugins/objects/server/define/rules';
import { filePathSql } from '../../plugins/objects/server/kinds/path';
import { renditionPathsSql } from '../../plugins/objects/server/kinds/renditions';
import { claimed, is, through } from '../../plugins/objects/server/rights/relations';
import { NOBODY } from '../../plugins/objects/server/rights/row';
import { contentKey } from './domain/content-key';

/** What says where and when somebody was, and with what, is for the owner and moderators, always. */
const OWN = ['own'];

/** A photograph: its original, which its owner gets back, and renditions of it for everybody else. */
export default defineResource({
  uid: 'api::asset.asset',
  path: 'asset',
  description: 'A photograph: its original, and renditions of it without any metadata.',
  displayName: 'filename',
  picture: 'renditions',
  relations: {
    own: is('owner'),
    claimant: claimed(),
    referrer: through('encounter.assets', 'read'),
    face: through('user.photo_id', 'read'),
    logo: through('site_settings.logo_id', 'read'),
    site: usedElsewhere,
  },
  rights: {
    create: { anonymous: 'all if reports', user: 'all' },
    read: {
      anonymous: ['claimant', 'referrer', 'face', 'logo', 'site'],
      user: ['own', 'claimant', 'referrer', 'face', 'logo', 'site'],
    },
    update: { anonymous: 'claimant', user: ['own', 'claimant'] },
    delete: 'as update',
    original: { user: 'own' },
  },
  seen: { version: OWN, created_at: OWN, updated_at: OWN },
  made: 'upload',
  fields: {
    owner: {
      fill: creator,
      written: [],
      description: 'Who sent it; null if that was anonymous.',
    },
    filename: { seen: OWN, description: 'What its sender calls it.' },
    path: {
      kind: 'text',
      derived: true,
      computed: (id) => filePathSql('asset', id),
      description:
        'Where its bytes are, and what stands for it elsewhere (`photo_id`): the original for its owner and moderators, the `large` rendition for everybody else.',
    },
    renditions: {
      kind: 'renditions',
      derived: true,
      computed: (id) => renditionPathsSql('asset', id),
      description: 'Its smaller forms: WebP, upright, without any metadata.',
    },
    mime_type: {
      derived: true,
      given: true,
      description: 'Of the original, by its content.',
    },
    size: { derived: true, given: true, description: 'Bytes of the original.' },
    width: { derived: true, given: true, description: 'Pixels of the original, upright.' },
    height: { derived: true, given: true, description: 'Pixels of the original, upright.' },
    sha256: {
      derived: true,
      given: true,
      seen: OWN,
      description: 'The SHA-256 of the original, in hexadecimal digits.',
    },
    taken_at: {
      kind: 'time',
      derived: true,
      given: true,
      seen: OWN,
      description: 'When it was taken, as the camera says (EXIF).',
    },
    latitude: {
      derived: true,
      given: true,
      seen: OWN,
      description: 'Degrees, WGS 84, as the camera says (EXIF).',
    },
    longitude: {
      derived: true,
      given: true,
      seen: OWN,
      description: 'Degrees, WGS 84, as the camera says (EXIF).',
    },
    camera: {
      derived: true,
      given: true,
      seen: OWN,
      description: 'With what it was taken (EXIF).',
    },
    alt_text: {
      kind: 'localized',
      maxLength: 1000,
      description: 'What it shows, for whoever does not see it.',
    },
    license: { description: 'Under which it may be used.' },
    rights_holder: { description: 'Whose it is, where that is not the owner.' },
    file_key: {
      derived: true,
      given: true,
      seen: NOBODY,
      description: 'The name that its files have in common.',
    },
    thumbnail_size: { derived: true, given: true, seen: NOBODY, description: 'Bytes of it.' },
    small_size: { derived: true, given: true, seen: NOBODY, description: 'Bytes of it.' },
    large_size: { derived: true, given: true, seen: NOBODY, description: 'Bytes of it.' },
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
