import { useState } from 'preact/hooks';
import type { CheckResult, Finding } from '../../../../doctor/finding.ts';
import { CommandText } from '../../parts/command-line.tsx';
import { Tick } from '../../parts/form.tsx';
import { Suggestion } from '../../parts/suggestion.tsx';
import { strings } from './strings.ts';

const COLOURS: Readonly<Record<Finding['verdict'], string>> = {
  pass: 'well',
  warn: 'waits',
  fail: 'bad',
  info: 'soft',
};

/** Only what is for a person to do, unless asked for all. */
export function Checks({
  checks,
  onEnd,
}: {
  readonly checks: readonly CheckResult[];
  /** After a fix was run here. */
  readonly onEnd: () => void;
}) {
  const [isWhole, setWhole] = useState(false);
  const shown = checks
    .map(({ name, findings }) => ({ name, findings: isWhole ? findings : findings.filter(isOpen) }))
    .filter(({ findings }) => findings.length > 0);
  return (
    <section>
      <h2>Checks</h2>
      <p>
        <Tick label="Show what is fine, too" isSet={isWhole} onChange={setWhole} />
      </p>
      {shown.map(({ name, findings }) => (
        <div class="card" key={name}>
          <h3>{name}</h3>
          {findings.map((finding) => (
            <FindingText {...{ finding, onEnd }} key={finding.what} />
          ))}
        </div>
      ))}
    </section>
  );
}

const isOpen = ({ verdict }: Finding) => verdict === 'fail' || verdict === 'warn';

interface FindingProps {
  readonly finding: Finding;
  readonly onEnd: () => void;
}

function FindingText({ finding, onEnd }: FindingProps) {
  const { verdict, what } = finding;
  return (
    <div>
      <p>
        <span class={`badge ${COLOURS[verdict]}`}>{strings.verdicts[verdict]}</span>{' '}
        <span>{what}</span>
      </p>
      <Fix {...{ finding, onEnd }} />
    </div>
  );
}

function Fix({ finding: { fix, command }, onEnd }: FindingProps) {
  if (fix === undefined) return null;
  if (command === undefined) {
    return <p class="soft">{fix}</p>;
  }
  if (command.startsWith('npx ')) return <Suggestion text={fix} onEnd={onEnd} />;
  return (
    <p class="suggestion">
      <span>{fix.slice(0, -command.length)}</span> <CommandText text={command} />
    </p>
  );
}
