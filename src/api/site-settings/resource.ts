import { isOneOfLanguages, keepsWhatCounts, mediaExist, rejectQuery } from './domain/rules';
import { keepMedia } from './keep-media';
import { defineResource } from '../../plugins/objects/server/declare/declaration';
import { SITE_ID, SITE_TYPE, SITE_UID } from '../../plugins/objects/server/site/settings';

/** For administrators only: moderators have every right that is not restricted. */
const ADMINISTRATORS = { moderator: [] };
const NOBODY = { moderator: [], administrator: [] };

const initialized = (
  _: unknown,
  { before }: { before: Readonly<Record<string, unknown>> | null },
) => before?.['initialized'] === true;

/** How this instance behaves: one object. */
export default defineResource({
  uid: SITE_UID,
  path: SITE_TYPE,
  single: SITE_ID,
  description: 'How this instance behaves: one object.',
  displayName: 'site_name',
  rights: {
    // The service itself makes it, at the first start: no call does.
    create: ADMINISTRATORS,
    read: { anonymous: 'all', user: 'all' },
    update: ADMINISTRATORS,
    delete: NOBODY,
  },
  fields: {
    site_name: { kind: 'localized', description: 'What this instance is called.' },
    tagline: { kind: 'localized', description: 'A few words beside the name.' },
    description: {
      kind: 'localized',
      maxLength: 10_000,
      description: 'What this instance is about.',
    },
    logo_id: {
      kind: 'path',
      attach: 'update',
      onDelete: 'restrict',
      description: 'The path of an image, which anyone may then read.',
    },
    languages: {
      kind: 'languages',
      maxLength: 35,
      description: 'The languages that this instance offers: BCP 47 tags, one at least.',
    },
    default_language: {
      kind: 'language',
      description: 'One of `languages`: that of mails to whoever has not chosen.',
    },
    terms_url: { kind: 'url', description: 'The page with the terms of use.' },
    privacy_url: { kind: 'url', description: 'The page with the privacy policy.' },
    contact_email: { description: 'The address that visitors may write to.' },
    announcement: {
      kind: 'localized',
      maxLength: 2000,
      description: 'What the frontend shows everybody for a while.',
    },
    regions: {
      kind: 'regions',
      maxItems: 500,
      description:
        'The regions in which encounters are placed, as a tree: `location_id` of an encounter is the `id` of one. A region that encounters are in cannot be removed.',
    },
    behaviors: {
      kind: 'texts',
      distinct: true,
      maxItems: 500,
      description: 'Suggestions for `behavior` of an encounter, which takes any other text too.',
    },
    custom_fields: {
      kind: 'customFieldDefinitions',
      description:
        'The fields that this instance adds to its types. One that records use cannot be removed, nor change its type; it can be retired.',
    },
    frontend: {
      kind: 'jsonObject',
      description: "A JSON object of the frontend's own, of at most 64 KiB.",
    },
    media: {
      kind: 'paths',
      description:
        'Further images by names, such as `banner`: paths of assets, which anyone may then read.',
    },
    initialized: {
      derived: true,
      derive: initialized,
      description: 'Whether there is an administrator.',
    },
    registration_open: { description: 'Whether anybody may make an account.' },
    require_verified_email: { description: 'Whether a login needs a verified e-mail address.' },
    anonymous_encounters: { description: 'Whether encounters are reported without an account.' },
    review_encounters: { description: 'Whether a new encounter waits for a review.' },
    readers: { description: 'Who reads encounters, individuals and assets.' },
    default_location_privacy: {
      description:
        'How precisely strangers are told where an encounter was, where neither it nor its taxon asks for more privacy.',
    },
    protect_unidentified: {
      description:
        'Whether an encounter or individual is obscured that has no taxon while any is protected, or one with protected taxa below it.',
    },
    hidden_tells: {
      description:
        'What strangers are told of an encounter that is not open: its place and no photograph, its photographs and no place, or both.',
    },
    tell_hidden: {
      description:
        'When strangers are told of an encounter or individual that is not open: on the first of the month after it was reported and approved (of the year, where its time is told to the year), or at once.',
    },
    show_owner_when_hidden: {
      description:
        'Whether strangers are told owner, orgs and source of what is obscured; of what is private they never are.',
    },
    review_notes: {
      kind: 'notes',
      maxItems: 20,
      seen: [],
      written: ADMINISTRATORS,
      description: 'Notes that moderators are offered for a rejection.',
    },
    max_upload_bytes: { description: 'The largest file that is taken, in bytes.' },
    allowed_origins: {
      kind: 'origins',
      seen: ADMINISTRATORS,
      written: ADMINISTRATORS,
      description: 'Origins of further frontends that may call with credentials.',
    },
    mail_from: {
      kind: 'email',
      seen: ADMINISTRATORS,
      written: ADMINISTRATORS,
      description: 'The sender of mails.',
    },
    frontend_url: {
      kind: 'url',
      rejects: rejectQuery,
      seen: ADMINISTRATORS,
      written: ADMINISTRATORS,
      description:
        'Where the links in mails lead; an allowed origin. `FRONTEND_URL` of the environment comes before it, and cannot be changed here.',
    },
  },
  rules: [isOneOfLanguages, mediaExist, keepsWhatCounts],
  consequences: [keepMedia],
});
