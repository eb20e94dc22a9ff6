import type { Client } from './client.js';
import { failureOf, isMadeBefore, isTransient, type Failure } from './failure.js';
import { newClaim, newId } from './ids.js';
import { persistently, type RetryOptions } from './retry.js';
import type { Schemas } from './types.js';
import type { Uploaded } from './upload.js';

/** Where reports are kept: `localStorage`, or what has the same five properties. */
export type ReportStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** A report without an account. */
export interface Report {
  /** The ID of its encounter, which the client has made. */
  readonly id: string;
  /** What permits reading it until it is decided, and adopting it for 30 days: a secret. */
  readonly claim: string;
  /** When it was made, ISO 8601. */
  readonly madeAt: string;
  /** What is still to be sent; null when the service has it. */
  readonly body: Schemas['EncounterCreate'] | null;
}

/** What came of a report; `failure` tells why it has not been done, null where it has. */
export interface Outcome {
  readonly id: string;
  readonly failure: Failure | null;
}

/** Reports without an account that survive a lost answer, a closed page, and the sign-up of their sender. */
export interface Reports {
  /**
   * Keeps a report, sends it, and sends it again after a lost answer.
   *
   * @param photographs that were uploaded with a claim each; they are shown after those in `assets`
   * @throws Failure a refusal, after which the report is forgotten; one that may pass (`isTransient`), after which it is kept
   */
  send(
    body: Omit<Schemas['EncounterCreate'], 'id' | 'claim'>,
    photographs?: readonly Uploaded[],
    retry?: RetryOptions,
  ): Promise<Report>;
  /** Sends what is kept and not known to have arrived, as after a restart. A report that is refused is forgotten. */
  resume(retry?: RetryOptions): Promise<readonly Outcome[]>;
  /** What is kept, the oldest first. */
  list(): readonly Report[];
  /** A report as its sender may see it until it is decided. @throws Failure */
  read(report: Report): Promise<Schemas['Encounter']>;
  /**
   * Makes whoever is logged in the owner of all kept reports and their photographs. A report that has not arrived is sent
   * before. What was adopted or never can be is forgotten; where no answer came, it is kept.
   */
  adopt(retry?: RetryOptions): Promise<readonly Outcome[]>;
  /** Keeps a report that was sent elsewhere. */
  keep(report: Report): void;
  forget(id: string): void;
}

/**
 * @param store by default the browser's `localStorage`: scripts of the page can read the claims in it
 * @throws TypeError where there is none
 */
export function createReports(
  client: Client,
  store: ReportStore | undefined = globalThis.localStorage,
): Reports {
  if (!store) throw new TypeError('there is no localStorage: give a store');
  const prefix = `oms:report:${client.baseUrl}:`;
  const keep = (report: Report): void => store.setItem(prefix + report.id, JSON.stringify(report));
  const forget = (id: string): void => store.removeItem(prefix + id);

  const list = (): readonly Report[] =>
    Array.from({ length: store.length }, (_, at) => store.key(at) ?? '')
      .filter((key) => key.startsWith(prefix))
      .map((key) => JSON.parse(store.getItem(key) ?? 'null') as Report | null)
      .filter((report) => report !== null)
      .sort((one, other) => one.madeAt.localeCompare(other.madeAt));

  const create = async (
    body: Schemas['EncounterCreate'],
    { signal }: RetryOptions,
    { answerTo, http } = client,
  ): Promise<void> => {
    try {
      await answerTo(http.POST('/api/v0/encounter', { body, signal }));
    } catch (error) {
      if (!isMadeBefore(error, body.id)) throw error;
    }
  };

  const deliver = async (report: Report, retry: RetryOptions): Promise<Report> => {
    const { id, claim, body } = report;
    if (body === null) return report;
    try {
      await persistently(() => create({ ...body, id, claim }, retry), retry);
    } catch (error) {
      const failure = failureOf(error);
      if (isRefusal(failure)) forget(id);
      throw failure;
    }
    const delivered = { ...report, body: null };
    keep(delivered);
    return delivered;
  };

  const claimIt = async ({ id, claim }: Report, { signal }: RetryOptions): Promise<void> => {
    await client.answerTo(
      client.http.POST('/api/v0/encounter/{id}/claim', {
        params: { path: { id } },
        headers: { 'X-Claim': claim },
        body: {},
        signal,
      }),
    );
  };

  /** What has never arrived is sent as it would have been; where the site has closed meanwhile, as its owner's own. */
  const adoptUnsent = async (
    body: Schemas['EncounterCreate'],
    report: Report,
    retry: RetryOptions,
  ): Promise<void> => {
    try {
      await create({ ...body, claim: report.claim }, retry, client.withoutSession());
    } catch (error) {
      if (failureOf(error).key !== 'API_RESPONSE_LOGIN_REQUIRED') throw error;
      return create(body, retry);
    }
    await claimIt(report, retry);
  };

  const adoptOne = async (report: Report, retry: RetryOptions): Promise<void> => {
    try {
      await claimIt(report, retry);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.key !== 'API_RESPONSE_ENTITY_NOT_FOUND' || report.body === null) throw failure;
      await adoptUnsent({ ...report.body, id: report.id }, report, retry);
    }
  };

  return {
    list,
    keep,
    forget,
    async send(body, photographs = [], retry = {}) {
      const report: Report = {
        id: newId(),
        claim: newClaim(),
        madeAt: new Date().toISOString(),
        body: { ...body, ...shownWith(body, photographs) },
      };
      keep(report);
      return deliver(report, retry);
    },
    async resume(retry = {}) {
      const outcomes: Outcome[] = [];
      for (const report of list().filter(({ body }) => body !== null)) {
        const failure = await deliver(report, retry).then(() => null, failureOf);
        outcomes.push({ id: report.id, failure });
      }
      return outcomes;
    },
    async read({ id, claim }) {
      const { response } = await client.answerTo(
        client.http.GET('/api/v0/encounter/{id}', {
          params: { path: { id } },
          headers: { 'X-Claim': claim },
        }),
      );
      return response as Schemas['Encounter'];
    },
    async adopt(retry = {}) {
      const outcomes: Outcome[] = [];
      for (const report of list()) {
        const failure = await persistently(() => adoptOne(report, retry), retry).then(
          () => null,
          failureOf,
        );
        if (failure === null || isRefusal(failure)) forget(report.id);
        outcomes.push({ id: report.id, failure });
      }
      return outcomes;
    },
  };
}

/** Whether the service has refused the request itself, for good. */
const isRefusal = (failure: Failure): boolean =>
  failure.status !== null && failure.status !== 401 && !isTransient(failure);

/** The fields of a report that show photographs, which their claims permit. */
function shownWith(
  { assets, claims }: Schemas['EncounterCreate'],
  photographs: readonly Uploaded[],
): Pick<Schemas['EncounterCreate'], 'assets' | 'claims'> {
  if (photographs.length === 0) return {};
  return {
    assets: [...(assets ?? []), ...photographs.map(({ id }) => id)],
    claims: [...(claims ?? []), ...photographs.flatMap(({ claim }) => claim ?? [])],
  };
}
