import type { UID } from '@strapi/strapi';
import type { Json } from './json';
import type { TestService } from './service';

/** Strapi's document service of one type, with the data as tests give it: complete or not, right or wrong. */
export interface Documents {
  create(params: { data: Json }): Promise<{ readonly documentId: string }>;
  update(params: { documentId: string; data: Json }): Promise<unknown>;
  delete(params: { documentId: string }): Promise<unknown>;
  findOne(params: { documentId: string; populate?: string }): Promise<Json | null>;
  findMany(params: { filters: Json }): Promise<readonly { readonly documentId: string }[]>;
}

export const documentsOf = ({ strapi }: TestService, uid: string): Documents =>
  strapi.documents(uid as UID.ContentType) as unknown as Documents;
