/** The panel's calls for reviews; `routes/allowed.ts` opens them. */
const config = { policies: ['admin::isAuthenticatedAdmin', 'plugin::panel.mayReview'] };

export const reviewRoutes = {
  type: 'admin',
  routes: [
    { method: 'GET', path: '/review/:model', handler: 'review.open', config },
    { method: 'POST', path: '/review/:model', handler: 'review.review', config },
  ],
};
