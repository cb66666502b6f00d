import type { ComparedDocument } from '../../../../compare/show-comparison.ts';
import { inShop } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { Sides } from '../../parts/sides.tsx';
import { useQuestion } from '../../use-question.ts';
import { strings } from './strings.ts';

/** Read now, from both sides. */
export function BothSides({
  kind,
  id,
  shop,
}: {
  readonly kind: ComparedDocument['kind'];
  readonly id: string;
  readonly shop: string;
}) {
  const question = useQuestion<ComparedDocument>({
    command: 'compare',
    operands: [kind, id],
    options: inShop(shop),
  });
  return (
    <section aria-label={strings.bothSides}>
      <h2>{strings.bothSides}</h2>
      <Answer question={question}>
        {({ what, rows }) => (
          <>
            <p>{what}</p>
            <Sides
              label={strings.bothSides}
              columns={[strings.who.store, strings.who.ledger, strings.who['loyalty service']]}
              rows={rows.map(({ field, store, ledger, service, differs }) => ({
                ...{ field: strings.fields[field] ?? field, differs },
                cells: [store, ledger, service],
              }))}
              differs="differs"
            />
          </>
        )}
      </Answer>
    </section>
  );
}
