import type { DoctorDocument } from '../../../../doctor/examine.ts';
import { Answer } from '../../parts/answer.tsx';
import type { ViewProps } from '../../router.ts';
import { useQuestion } from '../../use-question.ts';
import { numberText } from '../../words.ts';
import { Alarms, Rewards } from './about-findings.tsx';
import { Calls } from './calls.tsx';
import { Checks } from './checks.tsx';

/** What `doctor` says, by subject. */
export function SetUpView(_props: ViewProps) {
  const question = useQuestion<DoctorDocument>({ command: 'doctor' });
  return (
    <Answer question={question}>
      {(document) => {
        const findings = document.checks.flatMap((check) => check.findings);
        const subjects = findings.flatMap(({ about }) => (about ? [about] : []));
        return (
          <>
            <Summary {...document} />
            <Checks checks={document.checks} onEnd={question.askAgain} />
            <Calls
              pauses={subjects.filter((one) => one.kind === 'pause')}
              onEnd={question.askAgain}
            />
            <Alarms addresses={subjects.filter((one) => one.kind === 'alarm-address')} />
            <Rewards rewards={subjects.filter((one) => one.kind === 'reward')} />
          </>
        );
      }}
    </Answer>
  );
}

function Summary({ failed, warned, version, commandVersion, ledgerFormat }: DoctorDocument) {
  return (
    <div class="card">
      <p>
        {failed + warned === 0 && <span class="badge well">Everything is set up.</span>}
        {failed > 0 && <span class="badge bad">{numberText(failed)} failed</span>}{' '}
        {warned > 0 && <span class="badge waits">{numberText(warned)} to look at</span>}
      </p>
      <p class="soft">
        Versions: deployed {version}, this console {commandVersion}, newest form of the ledger{' '}
        {ledgerFormat}
      </p>
    </div>
  );
}
