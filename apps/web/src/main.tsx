import { render } from "preact";
import "./style/page.css";
render(<p>etude</p>, document.getElementById("page")!);
