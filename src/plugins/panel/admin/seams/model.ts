/** The type of the page of the content manager that is open: Strapi has it in the address. */
import { useParams } from 'react-router-dom';

/** @returns its UID; empty on other pages */
export const useModel = (): string => useParams<{ slug?: string }>().slug ?? '';
