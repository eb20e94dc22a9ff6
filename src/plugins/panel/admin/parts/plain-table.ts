import { styled } from 'styled-components';

/** A table within a form or beside one: the design system's own takes over the arrow keys of the inputs in it. */
export const PlainTable = styled.table`
  width: 100%;
  border-collapse: collapse;
  font-size: 1.4rem;
  color: ${({ theme }) => theme.colors.neutral800};
  th,
  td {
    padding: 4px 8px 4px 0;
    text-align: start;
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  th {
    font-weight: 600;
  }
`;
