import type { DoctorDocument } from '../../../../doctor/examine.ts';
import { Answer } from '../../parts/answer.tsx';
import type { ViewProps } from '../../router.ts';
import { useQuestion } from '../../use-question.ts';
import { numberText, words } from '../../words.ts';
import { Alarms, Rewards } from './about-findings.tsx';
import { Calls } from './calls.tsx';
import { Checks } from './checks.tsx';
import { strings } from './strings.ts';

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
  const texts = words(strings);
  return (
    <div class="card">
      <p>
        {failed + warned === 0 && <span class="badge well">{texts.allWell}</span>}
        {failed > 0 && <span class="badge bad">{texts.failed(numberText(failed))}</span>}{' '}
        {warned > 0 && <span class="badge waits">{texts.warned(numberText(warned))}</span>}
      </p>
      <p class="soft">
        {texts.versions}: {texts.deployed} {version}, {texts.command} {commandVersion},{' '}
        {texts.format} {ledgerFormat}
      </p>
    </div>
  );
}
