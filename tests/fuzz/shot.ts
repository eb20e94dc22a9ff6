import type { Request } from '../helpers/http';
import type { Operation } from './operations';
import type { Door, Who } from './people';

/** How a request was made: as the document allows, with one violation of it, or with anything. */
export type Kind = 'valid' | 'nearly valid' | 'hostile';

/** A request of the fuzzer. What stands for IDs and ETags in it is filled in when it is sent. */
export interface Shot {
  readonly door: Door;
  readonly who: Who;
  readonly request: Request;
  readonly kind: Kind;
  /** Whether nothing before the check of the caller refuses it: its media type, its JSON, its query. */
  readonly isTidy: boolean;
  readonly operation?: Operation;
  /** The one violation of what is nearly valid. */
  readonly violation?: string;
  /** The file of a form, whose other parts are the fields of `body`. */
  readonly file?: FormFile;
}

/** What is sent as a photograph. */
export type FormFile = 'a photograph' | 'a broken photograph' | 'a text' | 'nothing';

/** Few requests go to the panel without a session. */
export const PANEL_CALLERS: readonly Who[] = ['nobody', 'moderator', 'moderator', 'administrator'];
