/** Holds the folder rules of .dependency-cruiser.mjs, and the names that a source file may have. */
import { cruiseSources } from './cruise.mjs';

const NAMELESS = /(^|\/)(utils?|types|helpers?|common|misc|manager|shared|lib)(\.|\/)/;

const { modules, summary } = await cruiseSources();
const own = modules.filter((module) => module.source.startsWith('src/'));

const problems = summary.violations.map(({ rule, from, to, cycle, via }) => {
  const way = (cycle ?? via ?? []).map((step) => step.name).join(' → ');
  const comment = summary.ruleSetUsed?.forbidden?.find(({ name }) => name === rule.name)?.comment;
  const target = to === from || to === '' ? '' : ` → ${way === '' ? to : way}`;
  return `${rule.name}: ${from}${target}\n    ${comment ?? ''}`;
});
for (const { source } of own.filter((module) => NAMELESS.test(module.source))) {
  problems.push(`name: ${source}\n    A file is named after what it does, not after being useful.`);
}

for (const problem of problems) console.error(problem);
console.log(
  `${own.length} modules of src/, ${summary.totalDependenciesCruised} imports, ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
