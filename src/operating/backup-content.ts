// Which files of DATA_DIR a backup holds: the database, the pictures and the two secrets.
import { PICTURE_NAME } from '../kernel/own-addresses.ts'
import { DATABASE, OPERATOR_TOKEN, PEPPER, PICTURES } from '../platform/data-folder.ts'

// The folders of a PostgreSQL database, the files beside them, and a path below one of the folders.
const PG_FOLDERS =
  '(base|global|pg_(commit_ts|dynshmem|logical|multixact|notify|replslot|serial|snapshots|stat|stat_tmp|subtrans|tblspc|twophase|wal|xact))'
const PG_FILES = '(PG_VERSION|pg_hba\\.conf|pg_ident\\.conf|postgresql(\\.auto)?\\.conf|postmaster\\.(pid|opts))'
const SUBPATH = '(/[\\w-][\\w.-]*)'
const PART_FOLDER = new RegExp(`^(${PICTURES}|${DATABASE}(/${PG_FOLDERS}${SUBPATH}*)?)$`)
const PART_FILE = new RegExp(`^(${PEPPER}|${OPERATOR_TOKEN}|${DATABASE}/(${PG_FILES}|${PG_FOLDERS}${SUBPATH}+))$`)

/** Whether this path below DATA_DIR is part of a backup. A backup writes and a restore reads no other path. */
export function isInBackup(path: string, isFolder: boolean): boolean {
  if (isFolder) return PART_FOLDER.test(path)
  const pictureName = path.startsWith(`${PICTURES}/`) ? path.slice(PICTURES.length + 1) : ''
  return PART_FILE.test(path) || PICTURE_NAME.test(pictureName)
}
