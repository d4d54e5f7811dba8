import "./hooks/createChatMessage.mjs";
import "./hooks/init.mjs";
import "./hooks/ready.mjs";
import "./hooks/renderChatLog.mjs";
import "./hooks/renderChatMessageHTML.mjs";
import "./hooks/userConnected.mjs";
