// Which files of DATA_DIR a backup holds: the database, the pictures and the two secrets.
import { PICTURE_NAME } from '../kernel/addresses/own-addresses.ts'
import { DATABASE_FOLDER, OPERATOR_TOKEN_FILE, PEPPER_FILE, PICTURES_FOLDER } from '../platform/folder/data-folder.ts'

// The folders of a PostgreSQL database, the files beside them, and a path below one of the folders.
const PG_FOLDERS =
  '(base|global|pg_(commit_ts|dynshmem|logical|multixact|notify|replslot|serial|snapshots|stat|stat_tmp|subtrans|tblspc|twophase|wal|xact))'
const PG_FILES = '(PG_VERSION|pg_hba\\.conf|pg_ident\\.conf|postgresql(\\.auto)?\\.conf|postmaster\\.(pid|opts))'
const SUBPATH = '(/[\\w-][\\w.-]*)'
const PART_FOLDER = new RegExp(`^(${PICTURES_FOLDER}|${DATABASE_FOLDER}(/${PG_FOLDERS}${SUBPATH}*)?)$`)
const PART_FILE = new RegExp(
  `^(${PEPPER_FILE}|${OPERATOR_TOKEN_FILE}|${DATABASE_FOLDER}/(${PG_FILES}|${PG_FOLDERS}${SUBPATH}+))$`,
)

/** Whether this path below DATA_DIR is part of a backup. A backup writes and a restore reads no other path. */
export function isInBackup(path: string, isFolder: boolean): boolean {
  if (isFolder) return PART_FOLDER.test(path)
  const pictureName = path.startsWith(`${PICTURES_FOLDER}/`) ? path.slice(PICTURES_FOLDER.length + 1) : ''
  return PART_FILE.test(path) || PICTURE_NAME.test(pictureName)
}
