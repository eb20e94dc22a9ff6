/** The calls of `panel/server/review`, in the cache of the panel: lists and pages are read again after a review. */
import { adminApi } from '@strapi/strapi/admin';

/** What a record can be set to. */
export const STATES = ['approved', 'rejected', 'pending'] as const;
export type ListedState = (typeof STATES)[number];

/** The states that the user may set now, by the IDs of records. */
export type OpenReviews = Readonly<Record<string, readonly ListedState[]>>;

export interface ReviewChoice {
  readonly model: string;
  readonly state: ListedState;
  readonly review_note: string | null;
  readonly records: readonly { readonly id: string; readonly version: number }[];
}

/** What has come of one record: the status of the API, and for a refusal its text. */
export interface ReviewOutcome {
  readonly id: string;
  readonly status: number;
  readonly message: string | null;
}

const tags = (model: string, ids: readonly string[]) =>
  ['LIST', ...ids].map((id) => ({ type: 'Document' as const, id: `${model}_${id}` }));

const api = adminApi.enhanceEndpoints({ addTagTypes: ['Document'] }).injectEndpoints({
  endpoints: (builder) => ({
    openReviews: builder.query<OpenReviews, { model: string; ids: readonly string[] }>({
      query: ({ model, ids }) => ({
        url: `/panel/review/${model}`,
        method: 'GET',
        config: { params: { ids: ids.join() } },
      }),
      transformResponse: ({ data }: { data: OpenReviews }) => data,
      providesTags: (_result, _error, { model, ids }) => tags(model, ids),
    }),
    review: builder.mutation<readonly ReviewOutcome[], ReviewChoice>({
      query: ({ model, ...data }) => ({ url: `/panel/review/${model}`, method: 'POST', data }),
      transformResponse: ({ data }: { data: readonly ReviewOutcome[] }) => data,
      // After a refusal too: it says that something has changed.
      invalidatesTags: (_result, _error, { model, records }) =>
        tags(
          model,
          records.map(({ id }) => id),
        ),
    }),
  }),
});

export const { useOpenReviewsQuery, useReviewMutation } = api;
