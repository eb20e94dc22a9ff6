/** The frame of an input of ours for a whole attribute: label, help, and its parts. */
import type { ReactNode } from 'react';
import { Box, Field } from '@strapi/design-system';
import type { InputProps } from './records/form';

export const Whole = ({
  name,
  label,
  labelAction,
  hint,
  required = false,
  children,
}: InputProps & { readonly children: ReactNode }) => (
  <Box data-attribute={name}>
    <Field.Root name={name} hint={hint} required={required}>
      <Field.Label action={labelAction}>{label}</Field.Label>
      <Field.Hint />
    </Field.Root>
    <Box paddingTop={2}>{children}</Box>
  </Box>
);
