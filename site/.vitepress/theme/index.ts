// The fonts of the system: nothing to download, and the page looks at home on every machine.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
