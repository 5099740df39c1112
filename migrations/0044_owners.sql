CREATE TABLE "tool_days" (
	"tool_id" text NOT NULL,
	"day" date NOT NULL,
	"appearances" integer DEFAULT 0 NOT NULL,
	"views" integer DEFAULT 0 NOT NULL,
	"opens" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "tool_days_tool_id_day_pk" PRIMARY KEY("tool_id","day")
);
--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "website" text;--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "badge_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "founder_products" ADD COLUMN "first_sent_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tool_days" ADD CONSTRAINT "tool_days_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tool_days_day" ON "tool_days" USING btree ("day");--> statement-breakpoint
CREATE INDEX "proposals_author" ON "proposals" USING btree ("author_id","tool_id","created_at");