import { excludeFromOuterRepository, findOuterExclusion } from '../../history/outer-repository.ts';
import type { Examination } from '../examination.ts';
import { allWell, type Observation } from '../finding.ts';

/** Looks whether the hive lies in a git work tree, and is kept out of it. */
export async function checkOuterRepository({ layout }: Examination): Promise<Observation[]> {
  const outer = findOuterExclusion(layout.root);
  if (outer === undefined) return [allWell('The hive lies in no git work tree.')];
  const { file, pattern, present } = outer;
  if (present) return [allWell(`The hive is kept out of the git work tree around it, in ${file}.`)];
  const apply = async (): Promise<void> => {
    excludeFromOuterRepository(layout.root);
  };
  return [
    {
      level: 'warning',
      what: `The hive lies in a git work tree, and ${file} does not name it.`,
      means: '`git add -A` and `git status` fail there once the hive has a history.',
      fix: { says: `Add the line ${pattern} to that file.`, apply },
    },
  ];
}
