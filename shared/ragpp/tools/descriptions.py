"""The tools' descriptions for a language model: document 002 §5, word by word. Its words on arguments stand in their
schemas."""

from collections.abc import Mapping
from inspect import cleandoc
from typing import Final, Literal

ToolName = Literal["recall", "remember", "list_categories", "get_category"]
DESCRIPTIONS: Final[Mapping[ToolName, str]] = {
    "recall": cleandoc(
        """Search memory for relevant information based on a query.

        Use this tool when you need to recall previously learned information,
        past conversations, or stored knowledge.

        Returns:
            A formatted list of relevant memory items with:
            - Content of each item
            - Source resource type
            - Confidence score
            - Category

        Example:
            >>> recall("What pricing plans have we discussed?", k=3)
            "Found 3 relevant memories:
             1. [0.92] Basic plan is $99/month (from conversation, category: product_knowledge)
             2. [0.87] Enterprise pricing is custom (from document, category: product_knowledge)
             3. [0.81] User asked about volume discounts (from conversation, category: lead_preferences)"
        """
    ),
    "remember": cleandoc(
        """Store an important fact, insight, or observation to memory.

        Use this tool when you learn something valuable that should be
        remembered for future interactions.

        Returns:
            Confirmation with the stored item ID and assigned category.

        Example:
            >>> remember("Customer prefers email over phone communication",
            ...          category="lead_preferences", importance="high")
            "Remembered: item_abc123
             Category: lead_preferences
             Importance: high
             Content: Customer prefers email over phone communication"
        """
    ),
    "list_categories": cleandoc(
        """List all available memory categories.

        Use this tool to see what categories exist for organizing memories.

        Returns:
            A formatted list of categories with:
            - Name
            - Description
            - Number of items

        Example:
            >>> list_categories()
            "Memory Categories (4):

             1. lead_preferences
                Captured preferences and requirements from leads
                Items: 23

             2. product_knowledge
                Information about products and pricing
                Items: 45

             3. objection_patterns
                Common objections and successful responses
                Items: 12

             4. conversation_insights
                Meta-learnings from conversations
                Items: 8"
        """
    ),
    "get_category": cleandoc(
        """Get the full aggregated content of a memory category.

        Use this tool when you need comprehensive knowledge about a topic
        that has been organized into a category.

        Returns:
            The full markdown content of the category, including:
            - Organized sections
            - Key facts and insights
            - Source citations

        Example:
            >>> get_category("product_knowledge")
            "# Product Knowledge

             ## Pricing Plans

             - Basic: $99/month
             - Professional: $299/month
             - Enterprise: Custom pricing

             ## Key Features

             - Real-time analytics
             - API access
             - 24/7 support

             ---
             *Last updated: 2026-01-11*
             *Sources: 45 items from 12 resources*"
        """
    ),
}
