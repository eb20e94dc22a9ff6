import { useIntl } from 'react-intl';

/** The texts of reviews in the user's language. */
export function useTexts() {
  const intl = useIntl();
  return (id: string, values: Record<string, number | string> = {}): string =>
    intl.formatMessage({ id: `panel.review.${id}`, defaultMessage: id }, values);
}
