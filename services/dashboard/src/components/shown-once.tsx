import { type PropsWithChildren, useState } from 'react';
import { words } from '../words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly why: string;
  readonly secret: string;
  readonly copied: string;
  readonly stored: string;
  readonly onClose: () => void;
}

/** The dialog closes only after the user ticks the box, so Esc does not lose the secret. */
export function ShownOnce({
  title,
  why,
  secret,
  copied,
  stored,
  onClose,
  children,
}: PropsWithChildren<ShownOnceProps>) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title={title}
      onClose={isStored ? onClose : undefined}
      foot={
        <>
          <label className="check grow">
            <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} />
            <span>{stored}</span>
          </label>
          <Button variant="primary" isDisabled={!isStored} onClick={() => onClose()}>
            {words.keys.done}
          </Button>
        </>
      }
    >
      <p>{why}</p>
      <div className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={words.keys.copy} announcement={copied} />
      </div>
      {children}
    </Dialog>
  );
}
