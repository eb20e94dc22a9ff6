/** Variables of the installation that have no meaning for a database of this process's own. */
const OTHERS = /^(?:DATABASE_|S3_|OMS_ADMIN_|METRICS_|BACKUP_|FRONTEND_URL$)/;

/** Has this process use another database than that of the installation. @param variables which, beside OMS_DATA_DIR */
export function useOwnDatabase(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): void {
  // Not deleted: a file of variables would be read in their place.
  for (const name of Object.keys(process.env)) if (OTHERS.test(name)) process.env[name] = '';
  Object.assign(process.env, { OMS_DATA_DIR: dataDir, ...variables });
}
