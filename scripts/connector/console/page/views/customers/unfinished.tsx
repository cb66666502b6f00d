import type { RedemptionDocument } from '../../../../redemptions/redemptions.ts';
import { Answer } from '../../parts/answer.tsx';
import type { Line } from '../../run.ts';
import { useQuestion } from '../../use-question.ts';
import { Redemptions } from './redemptions.tsx';
import { strings } from './strings.ts';

interface ListDocument {
  readonly shop: string;
  readonly redemptions: readonly RedemptionDocument[];
}

/** Redemptions of all customers that are not finished. */
export function Unfinished({ options }: Pick<Line, 'options'>) {
  const line: Line = { command: 'redemptions list', ...(options && { options }) };
  const question = useQuestion<ListDocument>(line);
  return (
    <section aria-label={strings.unfinished}>
      <h2>{strings.unfinished}</h2>
      <Answer question={question}>
        {({ shop, redemptions }) => (
          <Redemptions
            {...{ redemptions, shop }}
            onChanged={question.askAgain}
            withCustomer={true}
          />
        )}
      </Answer>
    </section>
  );
}
