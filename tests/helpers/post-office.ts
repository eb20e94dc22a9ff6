import type { Service } from '#app/boot/boot';
import type { MailSettings, Recipient } from '#app/plugins/accounts/server/mail/compose';
import {
  createCourier,
  type CourierOptions,
  type Decisions,
} from '#app/plugins/accounts/server/mail/courier';
import { post, type Addressee, type Letter } from '#app/plugins/accounts/server/mail/outbox';
import { pluginTransport, type Transport } from '#app/plugins/accounts/server/mail/transport';
import { recipientOf } from '#app/plugins/accounts/server/users/recipient';
import { databaseOf } from '#app/plugins/objects/server';
import { sql } from '#app/plugins/objects/server/database/sql';
import { ask, type Work } from '#app/plugins/objects/server/database/work';
import { every, unwatched } from '#app/plugins/objects/server/jobs/job';
import { Jobs } from '#app/plugins/objects/server/jobs/jobs';
import type { JobTable } from '#app/plugins/objects/server/jobs/table';

export const SETTINGS: MailSettings = {
  frontendUrl: 'https://wildlife.example.org',
  publicUrl: 'https://oms.example.org',
  mailFrom: null,
  siteName: { es: 'Nutrias y más' },
  defaultLanguage: 'en',
};

export const ANA: Recipient = {
  id: 'a0000000-0000-4000-8000-000000000001',
  email: 'ana@people.example.org',
  language: 'es',
  name: 'Ana Núñez',
};

export const BEN: Recipient = {
  id: 'a0000000-0000-4000-8000-000000000002',
  email: 'ben@people.example.org',
  language: null,
  name: 'Ben',
};

const PEOPLE = [ANA, BEN];

/** A courier with a runner of its own. */
export interface Courier {
  start(): void;
  wake(): void;
  /** Takes no further mail, and waits for the current one. */
  stop(): Promise<void>;
}

/** Without a database: that of the service is for its own jobs. */
const TABLE: JobTable = {
  open: () => Promise.resolve(),
  states: () => Promise.resolve([]),
  isFree: () => Promise.resolve(true),
  claim: () => Promise.resolve(true),
  postpone: () => Promise.resolve(),
  save: () => Promise.resolve(true),
};

/** Couriers over the database of a service, with two people in it and a clock that the test sets. */
export interface PostOffice {
  now: number;
  /** Every log line of its couriers and of the transport. */
  readonly lines: string[];
  courier(transport?: Transport): Courier;
  post(letter: Letter): Promise<void>;
  rows(table?: 'oms_mails' | 'oms_tokens'): Promise<Record<string, unknown>[]>;
}

export function openPostOffice({ strapi }: Pick<Service, 'strapi'>): PostOffice {
  const database = databaseOf(strapi);
  const lines: string[] = [];
  const log = {
    info: (message: string) => void lines.push(`info ${message}`),
    warn: (message: string) => void lines.push(`warn ${message}`),
    error: (message: string) => void lines.push(`error ${message}`),
  };
  const office: PostOffice = {
    now: Date.UTC(2026, 2, 9, 8),
    lines,
    courier(transport = pluginTransport(strapi, log)) {
      const clock = (): number => office.now;
      const settings = (): MailSettings => SETTINGS;
      const given = { database, recipient, decisions, transport, settings, log, clock };
      const courier = createCourier(given);
      const jobs = new Jobs({ table: () => TABLE, log });
      const run = courier.deliver.bind(courier);
      jobs.add({ name: 'mails', isLeased: false, next: every(5000), run });
      return {
        start: () => void jobs.start(),
        wake: () => jobs.soon('mails'),
        stop: () => jobs.stop(),
      };
    },
    post: (letter) => database.write(() => post(letter, office.now)),
    rows: (table = 'oms_mails') =>
      strapi.db.connection<Record<string, unknown>>(table).select().orderBy('account'),
  };
  return office;
}

/** Sends the mails of a service that are due, once, without a mail server. */
export async function deliverMails(
  { strapi }: Pick<Service, 'strapi'>,
  options: Partial<Pick<CourierOptions, 'decisions' | 'transport' | 'clock'>> = {},
): Promise<void> {
  const courier = createCourier({
    database: databaseOf(strapi),
    recipient: recipientOf,
    decisions,
    transport: { send: () => Promise.resolve('sent') },
    settings: () => SETTINGS,
    log: strapi.log,
    clock: Date.now,
    ...options,
  });
  await courier.deliver(unwatched());
}

function* decisions(): Work<Decisions | null> {
  yield* ask(sql`select 1`);
  return null;
}

function* recipient(to: Addressee): Work<Recipient | null> {
  yield* ask(sql`select 1`);
  const isMeant = ({ id, email }: Recipient): boolean =>
    'account' in to ? id === to.account : email === to.emailKey;
  return PEOPLE.find(isMeant) ?? null;
}
