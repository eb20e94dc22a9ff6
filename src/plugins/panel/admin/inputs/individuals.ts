/** The search for individuals by name, in the cache of the panel. */
import { adminApi } from '@strapi/strapi/admin';

const UID = 'api::individual.individual';

/** Entries that a list offers; more letters find the others. */
const PAGE_SIZE = 20;

/** An individual as a list offers it. */
export interface OfferedIndividual {
  readonly documentId: string;
  readonly name: string | null;
  readonly sex?: string | null;
  readonly taxonomy?: { readonly scientificName?: string | null } | null;
}

const api = adminApi.enhanceEndpoints({ addTagTypes: ['Document'] }).injectEndpoints({
  endpoints: (builder) => ({
    individuals: builder.query<readonly OfferedIndividual[], string>({
      query: (name) => ({
        url: `/content-manager/collection-types/${UID}`,
        method: 'GET',
        config: {
          params: {
            page: 1,
            pageSize: PAGE_SIZE,
            sort: 'name:ASC',
            ...(name === '' ? {} : { filters: { name: { $containsi: name } } }),
          },
        },
      }),
      transformResponse: ({ results }: { results: readonly OfferedIndividual[] }) => results,
      providesTags: [{ type: 'Document', id: `${UID}_LIST` }],
    }),
  }),
});

export const { useIndividualsQuery } = api;
