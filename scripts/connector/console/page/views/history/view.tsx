import { Answer } from '../../parts/answer.tsx';
import type { ViewProps } from '../../router.ts';
import { useQuestion } from '../../use-question.ts';

export function HistoryView(_props: ViewProps) {
  const question = useQuestion<object>({ command: 'history' });
  return (
    <Answer question={question}>
      {(document) => <pre>{JSON.stringify(document, null, 2)}</pre>}
    </Answer>
  );
}
