import { Link } from 'wouter';
import { words } from '../words.ts';
import { Icon } from './icon.tsx';

export function Crumb({ href, list, children }: { href: string; list: string; children: string }) {
  return (
    <nav className="crumb" aria-label={words.link.crumb}>
      <Link href={href}>{list}</Link>
      <Icon name="forth" />
      <span>{children}</span>
    </nav>
  );
}
