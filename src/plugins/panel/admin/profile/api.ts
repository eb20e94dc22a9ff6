/** The profile of the signed-in user, in the cache of the panel. */
import { adminApi } from '@strapi/strapi/admin';
import { setTheme } from '../seams/appearance';

/** What the page saves; `theme` stays in the browser. */
export interface Profile {
  readonly firstname: string;
  readonly email: string;
  readonly username: string;
  readonly preferedLanguage: string | null;
  readonly password?: string;
  readonly currentPassword?: string;
  readonly theme: string;
}

const api = adminApi.enhanceEndpoints({ addTagTypes: ['Me'] }).injectEndpoints({
  endpoints: (builder) => ({
    saveProfile: builder.mutation<unknown, Profile>({
      query: ({ theme: _theme, ...data }) => ({
        url: '/admin/users/me',
        method: 'PUT',
        data: { ...data, lastname: '' },
      }),
      async onQueryStarted({ theme }, { dispatch, queryFulfilled }) {
        // What is refused is told by the page.
        const isSaved = await queryFulfilled.then(
          () => true,
          () => false,
        );
        if (isSaved) dispatch(setTheme(theme));
      },
      invalidatesTags: ['Me'],
    }),
  }),
});

export const { useSaveProfileMutation } = api;
