export type { paths, components, operations } from './api.js';
export { batch, type BatchOptions, type Operation, type OperationResult } from './batch.js';
export { createClient, type Client, type ClientOptions } from './client.js';
export {
  faultsByPath,
  isFailure,
  isTransient,
  type ClientKey,
  type Failure,
  type FailureKey,
  type Fault,
  type OmsError,
  type RefusalKey,
} from './failure.js';
export { newClaim, newId } from './ids.js';
export {
  LANGUAGES,
  languageOf,
  loadMessages,
  Messages,
  type Language,
  type Message,
} from './messages.js';
export {
  createReports,
  type Outcome,
  type Report,
  type Reports,
  type ReportStore,
} from './reports.js';
export { persistently, type RetryOptions } from './retry.js';
export { each, historyOf, pages, type Page } from './search.js';
export type {
  Creates,
  Objects,
  ObjectType,
  Parts,
  Schemas,
  SearchQuery,
  Updates,
} from './types.js';
export { upload, type Uploaded, type UploadOptions } from './upload.js';
