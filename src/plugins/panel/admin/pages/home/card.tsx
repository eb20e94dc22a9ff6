/** A part of the page, and what it has in common with the others. */
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { Flex, Link, Typography } from '@strapi/design-system';
import { usePanelTexts } from '../../parts/texts';
import type { Answered } from './use-answer';

interface CardProps<T> {
  readonly title: string;
  readonly answer: Answered<T>;
  readonly children: (value: T) => ReactNode;
}

export function Card<T>({ title, answer: { value, hasFailed }, children }: CardProps<T>) {
  const say = usePanelTexts('home');
  return (
    <Flex
      tag="section"
      aria-label={title}
      direction="column"
      alignItems="stretch"
      gap={3}
      padding={6}
      height="100%"
      background="neutral0"
      shadow="tableShadow"
      hasRadius
    >
      <Typography variant="delta" tag="h2">
        {title}
      </Typography>
      {value === null ? (
        <Typography textColor="neutral600">{say(hasFailed ? 'failed' : 'loading')}</Typography>
      ) : (
        children(value)
      )}
    </Flex>
  );
}

/** A line with a link to another page of the panel. */
export const To = ({ to, children }: { readonly to: string; readonly children: string }) => (
  <Link tag={RouterLink} to={to}>
    {children}
  </Link>
);

/** Lines, each of its own height, with room between what is at their ends. */
export const Line = ({ children }: { readonly children: ReactNode }) => (
  <Flex tag="li" justifyContent="space-between" alignItems="baseline" gap={3}>
    {children}
  </Flex>
);

export const Lines = ({ children }: { readonly children: ReactNode }) => (
  <Flex tag="ul" direction="column" alignItems="stretch" gap={2}>
    {children}
  </Flex>
);

export const Quiet = ({ children }: { readonly children: ReactNode }) => (
  <Typography variant="pi" textColor="neutral600">
    {children}
  </Typography>
);
