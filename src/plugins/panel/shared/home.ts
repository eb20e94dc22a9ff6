/** What the panel's first page shows: what waits, what has changed, and what an administrator has to look after. */

/** What waits for a review. */
export interface WaitingNow {
  readonly count: number;
  /** Those that somebody has left for another look. */
  readonly secondLooks: number;
  /** Those with most, who first. */
  readonly authors: readonly WaitingOf[];
  /** How many further authors there are. */
  readonly furtherAuthors: number;
}

export interface WaitingOf {
  /** Null for all reports without an account. */
  readonly id: string | null;
  readonly name: string | null;
  readonly count: number;
}

/** A record that somebody has changed. */
export interface ChangedRecord {
  readonly type: string;
  /** Of its type, as Strapi names it. */
  readonly uid: string;
  readonly id: string;
  /** Whether it is still there. */
  readonly exists: boolean;
  /** Null for a record without a name, and for one that is gone. */
  readonly name: string | null;
  /** The scientific name of an encounter's taxon. */
  readonly taxon: string | null;
  /** Of its last change. */
  readonly action: string;
  readonly at: string;
  /** Who; null for somebody without an account, or whose account is gone. */
  readonly by: string | null;
}

export interface ChangedRecords {
  /** The last changed first. */
  readonly records: readonly ChangedRecord[];
  /** How many there are; more where not all changes were looked at. */
  readonly count: number;
  readonly isAll: boolean;
}

export interface ChangedLately {
  /** By others, since the time that was asked for. */
  readonly byOthers: ChangedRecords;
  /** Encounters that are approved, and were changed by others since; within the last 30 days. */
  readonly afterApproval: ChangedRecords;
}

/** What is so of a part of the installation. `wrong`: something does not work, or is about to; `look`: it may be meant so. */
export interface InstallationLine {
  readonly about:
    | 'database'
    | 'storage'
    | 'photographs'
    | 'room'
    | 'mails'
    | 'backup'
    | 'job'
    | 'connections'
    | 'rowIds'
    | 'node';
  readonly level: 'ok' | 'look' | 'wrong';
  /** Fractions of 1, milliseconds and bytes as numbers; names and errors as texts. */
  readonly values: Readonly<Record<string, number | string>>;
}

export interface InstallationNow {
  readonly lines: readonly InstallationLine[];
  readonly versions: { readonly release: string; readonly node: string; readonly database: string };
}

/** What has come of a mail to the administrator who asked for it. */
export interface TestMailAnswer {
  readonly address: string;
  /** `file`: there is no mail server; null: it has failed. */
  readonly delivery: 'sent' | 'file' | null;
  /** The code of the failure. */
  readonly error: string | null;
}
