CREATE TABLE "enrichments" (
	"tool_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"parts" json NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "enrichments" ADD CONSTRAINT "enrichments_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "enrichments_state" ON "enrichments" USING btree ("state","created_at");